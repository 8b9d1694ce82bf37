import { generateKeyPairSync, sign } from 'node:crypto'

/**
 * Builds a self-signed certificate, so that tests need neither openssl nor a key in the repository.
 */
export function makeCertificate(altName: Buffer, expires = Date.now() + 86_400_000) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = der(0x30, der(0x06, hex('2a8648ce3d040302')))
  const name = der(0x30, der(0x31, der(0x30, der(0x06, hex('550403')), der(0x0c, text('test')))))
  const subjectAltName = der(0x30, der(0x06, hex('551d11')), der(0x04, der(0x30, altName)))
  const body = der(
    0x30,
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    ecdsaWithSha256,
    name,
    der(0x30, time(expires - 2 * 86_400_000), time(expires)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, subjectAltName)),
  )
  const signature = der(0x03, hex('00'), sign('sha256', body, privateKey))
  const base64 = der(0x30, body, ecdsaWithSha256, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  }
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function hex(digits: string): Buffer {
  return Buffer.from(digits, 'hex')
}

function text(words: string): Buffer {
  return Buffer.from(words)
}

function time(at: number): Buffer {
  return der(0x17, text(`${new Date(at).toISOString().replace(/\D/g, '').slice(2, 14)}Z`))
}

export function dnsName(name: string): Buffer {
  return der(0x82, text(name))
}

export function ipName(bytes: number[]): Buffer {
  return der(0x87, Buffer.from(bytes))
}
