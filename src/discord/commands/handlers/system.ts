import { systemLink } from '../../../model/core/dashboardLinks'
import { DISCORD, platformOf } from '../../../model/core/platform'
import { discordBot, isOwner } from '../../../model/core/privacy'
import { system as systemEntity } from '../../../model/systems/system'
import { listAccounts } from '../../../service/access/accounts'
import { createSystem } from '../../../service/access/registration'
import { getSystemGuild, patchSystemGuild } from '../../../service/proxy/guilds'
import { deleteSystem } from '../../../service/systems/systems'
import { formatCodeSpan } from '../../messages/escape'
import type { Texts } from '../../text/texts'
import type { Answer } from '../answer'
import { askText, confirmTyped } from '../ask'
import { systemCard } from '../cards/cards'
import type { Handler } from '../command'
import type { Context } from '../context'
import type { Arguments } from '../grammar/matchCommand'
import { listRows } from '../list'
import { findOwn, requireOwn, viewerAt } from '../ownSystem'
import { parseAccount, resolveSystem } from '../references'
import { Refusal } from '../refusal'
import { requireOwnSubject, systems } from '../subjects'
import { viewFront, viewGroups, viewMembers, viewSystem } from '../views'
import { idStyle, orNull, parseSwitched, requireGuild } from './common'
import { changeGuildField, parseFields, TAG_WORDS } from './fields'
import { nameFronters, readLastFronts } from './front'
import { runExport } from './transfer'

export async function showSystem(context: Context, { values, flags }: Arguments): Promise<Answer> {
  const { id, own } = await resolveSystem(context, values.system)
  const viewer = await viewerAt(context, own, flags)
  const isOwn = own !== null && isOwner(viewer, own.system.id)
  const system = await viewSystem(context, viewer, id)
  const front = await orNull(viewFront(context, viewer, id))
  const members = await orNull(viewMembers(context, viewer, id))
  // Accounts are shown to their owner only: other people know the account that they asked about.
  const linked = isOwn ? await listAccounts(context.deps, own.viewer) : []
  const accounts = linked.flatMap((account) =>
    platformOf(account.id) === DISCORD ? account.id : [],
  )
  const named = values.system === undefined ? null : parseAccount(values.system)
  const { publicUrl } = context.settings
  const embed = systemCard(system, {
    texts: context.texts,
    ids: await idStyle(context),
    link: publicUrl === '' ? null : systemLink(publicUrl, system.id),
    fronters: front && (await nameFronters(context, viewer, { id, own }, front, flags)),
    accounts: accounts.length > 0 || named === null ? accounts : [named],
    memberCount: members?.length ?? null,
    inGuild:
      isOwn && context.guild
        ? await orNull(getSystemGuild(context.deps, own.viewer, context.guild.id))
        : null,
  })
  return { embeds: [embed], isPublic: flags.has('public') }
}

/** Creates a system. An invite code is accepted only where other people do not see it. */
export async function newSystem(context: Context, { values }: Arguments): Promise<Answer> {
  const { texts, deps, account } = context
  if (await findOwn(context)) throw new Refusal(texts.hasSystem)
  const { name = null } = parseFields(context, systemEntity, { name: values.name })
  const create = async (invite: string | null): Promise<Answer> => {
    const registration = { account, tokenName: 'bot', invite }
    const { system } = await createSystem(deps, discordBot, { name }, registration)
    return {
      content: texts.systemCreated(formatCodeSpan(system.hid), context.name),
      expects: ['member.new'],
    }
  }
  if (deps.quotas.registration !== 'invite') return create(null)
  if (context.via === 'interaction') {
    if (values.code === undefined) throw new Refusal(texts.inviteNeeded(context.name))
    return create(values.code)
  }
  if (context.guild === null) return askText(context, texts.askInvite, create)
  // The text may contain the code.
  await context.deleteCommand()
  throw new Refusal(texts.inviteNeeded(context.name))
}

/** Shows or sets the tag of the own system in this guild, or shows and hides it. */
export const changeGuildTag: Handler = async (context, args) => {
  const typed = context.via === 'text' ? args.values.value?.toLowerCase() : undefined
  const word = TAG_WORDS.find((tagWord) => tagWord === typed || args.flags.has(tagWord))
  if (word === undefined) return changeGuildField(systems, 'tag')(context, args)
  const isEnabled = word === 'enable'
  const { own } = await requireOwnSubject(context, systems, args)
  const guild = requireGuild(context)
  await patchSystemGuild(context.deps, own.viewer, guild, { tag_enabled: isEnabled }, 'create')
  return { content: context.texts.serverTagEnabled(isEnabled) }
}

/** Turns proxying of the own system on or off in a guild. */
export async function systemProxy(context: Context, { values }: Arguments): Promise<Answer> {
  const { texts, deps } = context
  const own = await requireOwn(context)
  const words = [values.guild, values.switched].filter((word) => word !== undefined)
  const guild = words.find((word) => /^\d{15,20}$/.test(word)) ?? context.guild?.id
  const switched = words.find((word) => !/^\d{15,20}$/.test(word))
  if (guild === undefined) throw new Refusal(texts.guildOnly)
  if (switched === undefined) {
    const systemGuild = await orNull(getSystemGuild(deps, own.viewer, guild))
    return { content: texts.proxyingIs(systemGuild?.proxying_enabled ?? true) }
  }
  const proxying_enabled = parseSwitched(context, switched)
  await patchSystemGuild(deps, own.viewer, guild, { proxying_enabled }, 'create')
  return { content: texts.proxyingSet(proxying_enabled) }
}

/** Lists the members or the groups of a system. */
function listOf(
  view: typeof viewMembers | typeof viewGroups,
  titleOf: (texts: Texts, name: string) => string,
): Handler {
  return async (context, { values, flags }) => {
    const { id, own } = await resolveSystem(context, values.system)
    const viewer = await viewerAt(context, own, flags)
    const isOwn = own !== null && isOwner(viewer, own.system.id)
    const { name, color } = await viewSystem(context, viewer, id)
    return listRows(context, await view(context, viewer, id), {
      title: titleOf(context.texts, name ?? context.texts.systemWithId(id)),
      term: values.term,
      flags,
      ids: await idStyle(context),
      color,
      showsAll: isOwn && context.via === 'interaction',
      readLastFronts: () => readLastFronts(context, viewer, id),
    })
  }
}

export const listSystemMembers = listOf(viewMembers, (texts, name) => texts.membersOf(name))
export const listSystemGroups = listOf(viewGroups, (texts, name) => texts.groupsOf(name))

/** Deletes the own system after its ID was typed. Offers an export first. */
export async function removeSystem(context: Context, { flags }: Arguments): Promise<Answer> {
  const { texts, deps } = context
  const { hid } = (await requireOwn(context)).system
  const offer = flags.has('no-export') ? undefined : { label: texts.exportLabel, run: runExport }
  return confirmTyped(
    context,
    texts.confirmDeleteSystem(formatCodeSpan(hid), offer !== undefined),
    hid,
    async (answering) => {
      await deleteSystem(deps, (await requireOwn(answering)).viewer)
      return { content: texts.systemDeleted }
    },
    offer,
  )
}
