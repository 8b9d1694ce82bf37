import { discordBot } from '../../../model/core/privacy'
import { getAccount } from '../../../service/access/accounts'
import { getOwnAutoproxy, patchAutoproxy } from '../../../service/proxy/autoproxy'
import { escapeMarkdown } from '../../messages/escape'
import type { Answer } from '../answer'
import { buildEmbed } from '../cards/embed'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { isPrivate, mayNamePrivate, requireOwn } from '../ownSystem'
import { resolveOwnMember } from '../references'
import { viewFront, viewMember } from '../views'
import { requireGuild } from './common'
import { nameFronters } from './front'

const MODES: ReadonlyMap<string, 'off' | 'front' | 'latch'> = new Map([
  ...['off', 'stop', 'cancel', 'no', 'disable', 'remove'].map((word) => [word, 'off'] as const),
  ...['front', 'fronter', 'switch', 'f'].map((word) => [word, 'front'] as const),
  ...['latch', 'last', 'proxy', 'stick', 'sticky', 'l'].map((word) => [word, 'latch'] as const),
])

/** Shows or sets the autoproxy mode of the own system in this guild. */
export async function runAutoproxy(
  context: Context,
  { values, flags }: Arguments,
): Promise<Answer> {
  const { texts, deps } = context
  const guild = requireGuild(context)
  const own = await requireOwn(context)
  const choice = values.name
  if (choice === undefined) return showAutoproxy(context, guild, flags)
  const mode = flags.has('id') ? undefined : MODES.get(choice.toLowerCase())
  const before = await getOwnAutoproxy(deps, own.viewer, guild)
  if (mode !== undefined) {
    if (before.autoproxy_mode === mode)
      return { content: texts.autoproxyAlready(texts.autoproxySet[mode]) }
    const isMember = mode === 'latch'
    await patchAutoproxy(deps, own.viewer, guild, {
      autoproxy_mode: mode,
      ...(isMember && { autoproxy_member: null }),
    })
    return { content: texts.autoproxySet[mode] }
  }
  const member = await resolveOwnMember(context, choice, { flags })
  const set = texts.autoproxyMember(escapeMarkdown(member.name))
  if (before.autoproxy_mode === 'member' && before.autoproxy_member?.hid === member.id)
    return { content: texts.autoproxyAlready(set) }
  await patchAutoproxy(deps, own.viewer, guild, {
    autoproxy_mode: 'member',
    autoproxy_member: member.id,
  })
  return { content: set }
}

async function showAutoproxy(
  context: Context,
  guild: string,
  flags: ReadonlySet<string>,
): Promise<Answer> {
  const { texts, deps, account } = context
  const own = await requireOwn(context)
  const { autoproxy_mode: mode, autoproxy_member } = await getOwnAutoproxy(deps, own.viewer, guild)
  const { autoproxy_enabled } = await getAccount(deps, discordBot, account)
  const member = autoproxy_member && (await viewMember(context, own.viewer, autoproxy_member.hid))
  const isNamed = member && (!isPrivate(member) || mayNamePrivate(context, own, flags))
  const name = member && (isNamed ? escapeMarkdown(member.name) : texts.hiddenMember)
  const front = mode === 'front' ? await viewFront(context, own.viewer, '@me') : null
  const fronters =
    front && (await nameFronters(context, own.viewer, { id: own.system.hid, own }, front, flags))
  const state = texts.autoproxyState(
    mode,
    fronters?.map((fronter) => escapeMarkdown(fronter))[0] ?? name,
  )
  const note = autoproxy_enabled ? '' : `\n${texts.autoproxyAccountOff(context.name)}`
  return {
    embeds: [
      buildEmbed({
        title: texts.autoproxyTitle,
        description: `${state}${note}\n\n${texts.autoproxyHelp}`,
      }),
    ],
  }
}
