import { type FaultContext, faultActions } from './controlFaults'
import { messageActions } from './controlMessages'
import { readActions } from './controlRead'
import { worldActions } from './controlWorld'
import { DiscordError, isObject } from './errors'

/** Control interface: each action is `POST /_/<action>` with a JSON object. */
export const actions = { ...worldActions, ...messageActions, ...readActions, ...faultActions }

export type Actions = typeof actions
export type ActionName = keyof Actions

/** Executes an action. Throws an error with Discord's own error as its text. */
export async function runAction(
  context: FaultContext,
  name: string,
  input: object,
): Promise<unknown> {
  const action: (context: FaultContext, input: never) => unknown = actions[name as ActionName]
  try {
    return (await action(context, input as never)) ?? null
  } catch (cause) {
    if (cause instanceof DiscordError) throw new Error(JSON.stringify(cause.body))
    throw cause
  }
}

/** Handles a request to the control interface; the bot cannot know these paths. */
export async function handleControl(
  context: FaultContext,
  name: string,
  body: string,
): Promise<Response> {
  if (!(name in actions))
    return Response.json({ error: `unknown action: ${name}` }, { status: 404 })
  try {
    const input: unknown = body === '' ? {} : JSON.parse(body)
    if (!isObject(input)) return Response.json({ error: 'not an object' }, { status: 400 })
    return Response.json(await runAction(context, name, input))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return Response.json({ error: reason }, { status: 409 })
  }
}
