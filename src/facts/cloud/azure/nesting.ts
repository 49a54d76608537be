/**
 * Series whose machines can run virtual machines themselves, according to Microsoft's documentation: versions 3 and 4
 * of D and E with Intel processors, and Fsv2 and FX (https://learn.microsoft.com/azure/virtual-machines/acu, the sizes
 * with three asterisks). Version 5 of D and E with Intel processors can too, according to the page of each series (for
 * example https://learn.microsoft.com/azure/virtual-machines/dv5-dsv5-series). The API does not report this. The
 * letters between the number of processors and the version are d: local disk, s: premium disks, i: isolated, l: less
 * memory; a is for AMD and p for Arm.
 */
const series = /^Standard_([DE]\d+i?d?s?_v[345]|F\d+s_v2|FX\d+mds)$/i;

/** Whether Microsoft documents that machines of this size can run virtual machines. */
export function azureCanNest(size: string): boolean {
  return series.test(size);
}
