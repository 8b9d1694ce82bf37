/**
 * Returns the address of a picture for a webhook message. The query of an attachment on Discord is a
 * signature that expires; without it, Discord signs the address itself.
 */
export function webhookAvatar(address: string, cdnOrigins: readonly string[]): string {
  const url = URL.canParse(address) ? new URL(address) : null
  const isAttachment =
    url && cdnOrigins.includes(url.origin) && /^\/(ephemeral-)?attachments\//.test(url.pathname)
  return isAttachment ? `${url.origin}${url.pathname}` : address
}
