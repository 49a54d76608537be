/** A public key for tests. */
export const publicKey = `-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEawFRARYJKwYBBAHaRw8BAQdAy2w/YLbAWJ7cFa4zy4+XFF8tIISnAIwMz8/8
VlDwZPa0F1Rlc3QgPHRlc3RAZXhhbXBsZS5vcmc+iI8EExYIADgWIQTmmi/Dqupb
PJ76BoBsy62nS2px9wUCawFRAQIbAwULCQgHAgYVCgkICwIEFgIDAQIeAQIXgAAK
CRBsy62nS2px9zI+APiIbCELvr9Ci/g54+FAKuiDXTBphBhVuZQamfPuUbumAP9/
ie7rtNHF/84y/rcVp0JAN2Zepv2Zng01VSJi//C9Aw==
=4NWt
-----END PGP PUBLIC KEY BLOCK-----
`;

/** The fingerprint of {@link publicKey}. */
export const fingerprint = "E69A2FC3AAEA5B3C9EFA06806CCBADA74B6A71F7";
