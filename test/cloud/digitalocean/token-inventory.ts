/** The inventory for a test: it provides the API token for DigitalOcean as a secret var. */
import { inventory, secret } from "furrow";

export default inventory({ hosts: {}, vars: { digitalOceanToken: secret.env("OWN_TOKEN") } });
