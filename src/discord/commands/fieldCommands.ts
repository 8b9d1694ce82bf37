import type { Entity } from '../../model/core/entity'
import { type CommandId, commandSummaries } from '../text/enCommands'
import { type Command, command, type Handler } from './command'
import { fieldFlags } from './handlers/fields'
import type { Subject } from './subjects'

// Words for the fields of systems, members and groups, by key. Type, limit and privacy of a field are
// those of its line in `model/`, and its name for people is in the texts.

const SERVER_NAME =
  'servername|sn|sname|snick|snickname|servernick|servernickname|serverdisplayname|serverdn|guildname|guildnick|guildnickname'
const SERVER_AVATAR =
  'serveravatar|sa|servericon|serverimage|serverpfp|serverpic|savatar|sicon|spfp|spic|guildavatar|guildicon|guildpic'

export const systemWords = {
  name: 'name|rename|rn|changename',
  tag: 'tag|t',
  description: 'description|desc|d|bio|describe|text|intro',
  pronouns: 'pronouns|pronoun|prns|pn',
  color: 'color|colour',
  avatar_url: 'avatar|icon|pfp|picture|image|pic|av',
  banner: 'banner|splash|cover',
} as const

export const systemGuildWords = {
  display_name: SERVER_NAME,
  avatar_url: SERVER_AVATAR,
} as const

export const memberWords = {
  name: 'name|rename|rn|changename|setname',
  display_name: 'displayname|dn|dname|dispname|nick|nickname',
  description: 'description|desc|d|bio|describe|info|about|text|intro',
  pronouns: 'pronouns|pronoun|prns|pn',
  color: 'color|colour',
  birthday: 'birthday|bday|bd|bdate|birthdate|birth|cakeday',
  avatar_url: 'avatar|pfp|icon|picture|image|pic|profile|av',
  webhook_avatar_url: 'proxyavatar|pa|pavatar|proxypfp|ppfp|webhookavatar|webhookpfp',
  banner: 'banner|cover|splash',
  autoproxy_enabled: 'autoproxy|ap',
  keep_proxy: 'keepproxy|kp|keeptags|showtags',
  tts: 'tts|texttospeech|text-to-speech',
} as const

export const memberGuildWords = {
  display_name: SERVER_NAME,
  avatar_url: SERVER_AVATAR,
  keep_proxy:
    'serverkeepproxy|skp|serverkeeptags|servershowtags|guildkeepproxy|guildkeeptags|guildshowtags',
} as const

export const groupWords = {
  name: 'name|rename|rn|changename|setname',
  display_name: 'displayname|dn|dname|dispname|nick|nickname',
  description: 'description|desc|d|bio|describe|info|about|text|intro',
  icon: 'icon|pfp|avatar|picture|image|pic|av',
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
    const commandOptions = { ...options, flags: fieldFlags }
    return command(id, `${head} ${words[key]} ${value}`, change(subject, key), commandOptions)
  })
}

function isCommandId(id: string): id is CommandId {
  return id in commandSummaries
}
