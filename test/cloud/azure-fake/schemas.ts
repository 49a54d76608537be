import { z } from "zod";

/**
 * The bodies that the fake accepts, as Azure's published REST specifications describe them
 * (https://github.com/Azure/azure-rest-api-specs: compute 2024-07-01 and disks 2024-03-02, network 2024-05-01,
 * resources 2021-04-01). Properties that the specifications have and furrow does not use are left out, so the fake
 * refuses properties that are sent by mistake.
 */

const location = z.string().regex(/^[a-z][a-z0-9]+$/);
const tags = z.record(z.string().max(512), z.string().max(256)).optional();
const id = z
  .string()
  .regex(/^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+\/providers\/Microsoft\.\w+\/\w+\/[^/]+(\/subnets\/[^/]+)?$/i);
const reference = z.strictObject({ id });
const zones = z
  .array(z.enum(["1", "2", "3"]))
  .length(1)
  .optional();
const deleteOption = z.enum(["Delete", "Detach"]).optional();
const diskType = z.enum(["Premium_LRS", "StandardSSD_LRS", "Standard_LRS", "Premium_ZRS", "StandardSSD_ZRS"]);
const source = z.union([z.cidrv4(), z.ipv4()]);
const ports = z.string().regex(/^\d{1,5}(-\d{1,5})?$/);

/** The specification's ResourceGroup and ResourceGroupPatchable. */
export const group = z.strictObject({ location, tags });

/** The specification's TagsObject: the body of UpdateTags. */
export const onlyTags = z.strictObject({ tags });

/** The specification's SecurityRulePropertiesFormat, with either the singular or the plural form of a prefix. */
const rule = z
  .strictObject({
    access: z.enum(["Allow", "Deny"]),
    direction: z.enum(["Inbound", "Outbound"]),
    priority: z.int().min(100).max(4096),
    protocol: z.enum(["Tcp", "Udp", "Icmp", "Esp", "Ah", "*"]),
    sourcePortRange: z.literal("*"),
    sourceAddressPrefix: z.union([source, z.enum(["*", "Internet", "VirtualNetwork"])]).optional(),
    sourceAddressPrefixes: z.array(source).min(1).optional(),
    destinationAddressPrefix: z.literal("*"),
    destinationPortRange: z.union([ports, z.literal("*")]).optional(),
    destinationPortRanges: z.array(ports).min(1).optional(),
  })
  .refine((one) => (one.sourceAddressPrefix === undefined) !== (one.sourceAddressPrefixes === undefined), "one source")
  .refine((one) => (one.destinationPortRange === undefined) !== (one.destinationPortRanges === undefined), "one port");

/** The specification's NetworkSecurityGroup. */
export const securityGroup = z
  .strictObject({
    location,
    tags,
    properties: z.strictObject({
      securityRules: z.array(z.strictObject({ name: z.string().regex(/^\w[\w.-]{0,79}$/), properties: rule })),
    }),
  })
  .refine(
    ({ properties: { securityRules: all } }) =>
      new Set(all.map((one) => `${one.properties.direction} ${one.properties.priority}`)).size === all.length,
    "SecurityRuleConflict: two rules have the same priority and direction",
  );

const subnetProperties = z.strictObject({
  addressPrefix: z.cidrv4(),
  networkSecurityGroup: reference.optional(),
  natGateway: reference.optional(),
  routeTable: reference.optional(),
  serviceEndpoints: z.array(z.strictObject({ service: z.string() })).optional(),
});

/** The specification's Subnet. */
export const subnet = z.strictObject({ properties: subnetProperties });

/** The specification's VirtualNetwork. */
export const network = z.strictObject({
  location,
  tags,
  properties: z.strictObject({
    addressSpace: z.strictObject({ addressPrefixes: z.array(z.cidrv4()).min(1) }),
    subnets: z.array(
      z.strictObject({
        name: z.string().regex(/^\w[\w.-]{0,79}$/),
        id: z.string().optional(),
        properties: subnetProperties,
      }),
    ),
    dhcpOptions: z.strictObject({ dnsServers: z.array(z.ipv4()) }).optional(),
  }),
});

/** The specification's PublicIPAddress; addresses with the SKU Standard are static. */
export const address = z.strictObject({
  location,
  tags,
  sku: z.strictObject({ name: z.literal("Standard") }),
  properties: z.strictObject({
    publicIPAllocationMethod: z.literal("Static"),
    publicIPAddressVersion: z.literal("IPv4"),
    // Read-only: responses contain it, and it may be sent back.
    ipAddress: z.ipv4().optional(),
  }),
});

/** The specification's NetworkInterface. */
export const card = z.strictObject({
  location,
  tags,
  properties: z.strictObject({
    ipConfigurations: z
      .array(
        z.strictObject({
          name: z.string().min(1),
          properties: z.strictObject({
            primary: z.boolean(),
            privateIPAddressVersion: z.literal("IPv4"),
            privateIPAllocationMethod: z.enum(["Dynamic", "Static"]),
            privateIPAddress: z.ipv4().optional(),
            subnet: reference,
            publicIPAddress: z.strictObject({ id, properties: z.strictObject({ deleteOption }).optional() }).optional(),
          }),
        }),
      )
      .min(1),
    networkSecurityGroup: reference.optional(),
    dnsSettings: z.strictObject({ dnsServers: z.array(z.ipv4()) }).optional(),
    enableAcceleratedNetworking: z.boolean().optional(),
    // Read-only: responses contain it, and it may be sent back.
    virtualMachine: reference.optional(),
  }),
});

/** The specification's Disk. */
export const disk = z.strictObject({
  location,
  tags,
  sku: z.strictObject({ name: diskType }),
  zones,
  properties: z.strictObject({
    creationData: z.strictObject({ createOption: z.literal("Empty") }),
    diskSizeGB: z.int().min(1).max(32_767),
    networkAccessPolicy: z.enum(["AllowAll", "DenyAll"]).optional(),
  }),
});

/** The specification's DiskUpdate. */
export const diskUpdate = z.strictObject({
  tags,
  properties: z.strictObject({ diskSizeGB: z.int().max(32_767) }).optional(),
});

/** The specification's DataDisk. */
const dataDisk = z.strictObject({
  lun: z.int().min(0).max(63),
  name: z.string(),
  createOption: z.literal("Attach"),
  managedDisk: z.strictObject({ id, storageAccountType: diskType.optional() }),
  deleteOption,
  caching: z.enum(["None", "ReadOnly", "ReadWrite"]).optional(),
  diskSizeGB: z.int().optional(),
  toBeDetached: z.boolean().optional(),
});

/** Names that Azure forbids: https://learn.microsoft.com/azure/virtual-machines/linux/faq */
const login = z
  .string()
  .regex(/^[a-z_][a-z0-9_-]{0,31}$/)
  .refine(
    (name) => !/^(admin|administrator|root|test|user|guest|owner|server|sys|support)$/.test(name),
    "DisallowedName",
  );

/** The specification's NetworkInterfaceReference. */
const cardReference = z.strictObject({ id, properties: z.strictObject({ primary: z.boolean(), deleteOption }) });

/** The specification's VirtualMachine. */
export const machine = z.strictObject({
  location,
  tags,
  zones,
  properties: z.strictObject({
    hardwareProfile: z.strictObject({ vmSize: z.string() }),
    storageProfile: z.strictObject({
      imageReference: z.strictObject({
        publisher: z.string(),
        offer: z.string(),
        sku: z.string(),
        version: z.string(),
      }),
      osDisk: z.strictObject({
        name: z.string().regex(/^\w[\w.-]{0,79}$/),
        createOption: z.literal("FromImage"),
        diskSizeGB: z.int().min(1).max(4095),
        managedDisk: z.strictObject({ storageAccountType: diskType }),
        deleteOption,
      }),
      dataDisks: z.array(dataDisk),
    }),
    osProfile: z.strictObject({
      computerName: z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,62}$/),
      adminUsername: login,
      linuxConfiguration: z.strictObject({
        disablePasswordAuthentication: z.literal(true),
        ssh: z.strictObject({
          publicKeys: z
            .array(z.strictObject({ path: z.string().regex(/^\/home\//), keyData: z.string().regex(/^ssh-\S+ \S+/) }))
            .min(1),
        }),
      }),
    }),
    networkProfile: z.strictObject({
      networkInterfaces: z.array(cardReference).length(1),
    }),
    diagnosticsProfile: z.strictObject({ bootDiagnostics: z.strictObject({ enabled: z.boolean() }) }),
    securityProfile: z.discriminatedUnion("securityType", [
      z.strictObject({ securityType: z.literal("Standard") }),
      z.strictObject({
        securityType: z.literal("TrustedLaunch"),
        uefiSettings: z.strictObject({ secureBootEnabled: z.boolean(), vTpmEnabled: z.boolean() }),
      }),
    ]),
  }),
});

/** The specification's VirtualMachineUpdate. */
export const machineUpdate = z.strictObject({
  tags,
  properties: z
    .strictObject({
      hardwareProfile: z.strictObject({ vmSize: z.string() }).optional(),
      storageProfile: z
        .strictObject({
          osDisk: z.strictObject({ deleteOption }).optional(),
          dataDisks: z.array(dataDisk).optional(),
        })
        .optional(),
      networkProfile: z.strictObject({ networkInterfaces: z.array(cardReference).min(1) }).optional(),
    })
    .optional(),
});
