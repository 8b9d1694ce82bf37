import type { Entity } from '../../model/entity'
import { type CommandId, commandSummaries } from '../text/enHelp'
import { type Command, command, type Handler } from './command'
import { fieldFlags } from './handlers/fields'
import type { Subject } from './subjects'

// Words for the fields of systems, members and groups, by key. Type, limit and privacy of a field are
// those of its line in `model/`, and its name for people is in the texts.

export const systemWords = {
  name: 'name|rename|rn|changename',
  tag: 'tag|t',
  description: 'description|desc|bio|describe',
  pronouns: 'pronouns|pronoun|prns|pn',
  color: 'color|colour',
  avatar_url: 'avatar|icon|pfp|picture|av',
  banner: 'banner|splash|cover',
} as const

export const systemGuildWords = {
  display_name: 'servername|sn|guildname',
  avatar_url: 'serveravatar|sa|servericon|serverpfp|guildavatar',
} as const

export const memberWords = {
  name: 'name|rename|rn|changename|setname',
  display_name: 'displayname|dn|nick|nickname',
  description: 'description|desc|bio|describe|info|about',
  pronouns: 'pronouns|pronoun|prns|pn',
  color: 'color|colour',
  birthday: 'birthday|bday|birthdate|birth',
  avatar_url: 'avatar|pfp|icon|picture|profile|av',
  webhook_avatar_url: 'proxyavatar|pa|proxypfp|webhookavatar',
  banner: 'banner|cover|splash',
  autoproxy_enabled: 'autoproxy|ap',
  keep_proxy: 'keepproxy|kp|keeptags|showtags',
  tts: 'tts|texttospeech',
} as const

export const memberGuildWords = {
  display_name: 'servername|sn|servernick|guildname',
  avatar_url: 'serveravatar|sa|servericon|serverpfp|guildavatar',
  keep_proxy: 'serverkeepproxy|skp|guildkeepproxy',
} as const

export const groupWords = {
  name: 'name|rename|rn|changename|setname',
  display_name: 'displayname|dn|nick|nickname',
  description: 'description|desc|bio|describe|info|about',
  icon: 'icon|pfp|avatar|picture|av',
  banner: 'banner|cover|splash',
  color: 'color|colour',
} as const

/** Creates the commands that show, set and clear each of these fields. */
export function fieldCommands<E extends Entity, G extends Entity, K extends string>(
  subject: Subject<E, G>,
  head: string,
  words: Readonly<Record<K, string>>,
  change: (subject: Subject<E, G>, key: K) => Handler,
  options: { readonly where?: 'servers' } = {},
): Command[] {
  const { inGuild, entity, parameter } = subject
  const { fields } = options.where === 'servers' && inGuild ? inGuild.entity : entity
  return (Object.keys(words) as K[]).map((key) => {
    const value = fields[key]?.kind === 'flag' ? '[switched]' : '[value]'
    const id = `${parameter}.${words[key].split('|')[0]}`
    if (!isCommandId(id)) throw new Error(`a command without a summary: ${id}`)
    const given = { ...options, flags: fieldFlags }
    return command(id, `${head} ${words[key]} ${value}`, change(subject, key), given)
  })
}

function isCommandId(id: string): id is CommandId {
  return id in commandSummaries
}
