/** A request's path: a template as in Discord's documentation, and its values. */
export interface Route {
  /** For example `/channels/{channel_id}/messages/{message_id}`. */
  readonly template: string
  readonly params: Readonly<Record<string, string>>
}

export function fillPath({ template, params }: Route): string {
  return fill(template, (name) => encodeURIComponent(getParam(params, name)))
}

/** Path for logs and errors: tokens of webhooks and interactions are replaced. */
export function redactPath({ template, params }: Route): string {
  return fill(template, (name) => (name.endsWith('_token') ? '***' : getParam(params, name)))
}

/** Discord limits each channel, guild and webhook separately. */
export function majorParameter({ params }: Route): string {
  const { channel_id, guild_id, webhook_id, webhook_token, interaction_id } = params
  if (webhook_id !== undefined) return `webhook ${webhook_id} ${webhook_token ?? ''}`
  return interaction_id ?? channel_id ?? guild_id ?? ''
}

function fill(template: string, render: (name: string) => string): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => render(name))
}

function getParam(params: Route['params'], name: string): string {
  const value = params[name]
  if (value === undefined || value === '') throw new Error(`the path parameter ${name} is missing`)
  return value
}
