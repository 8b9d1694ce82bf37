import { anonymousViewer, type Viewer } from '../../model/core/privacy'
import type { ProxyTag } from '../../model/core/validation'
import {
  readAllMembers,
  readFronters,
  readGroup,
  readGroupMembers,
  readGroups,
  readMember,
  readMemberGroups,
  readMessage,
  readSystem,
} from '../../service/reads/objects'
import type { Context } from './context'

// Objects of version 2 of the API, redacted for the viewer. The bot shows nothing else, so that it
// needs no rules of its own for privacy.

type Levels = Readonly<Record<string, string>> | null

export interface SystemView {
  readonly id: string
  readonly name: string | null
  readonly description: string | null
  readonly tag: string | null
  readonly pronouns: string | null
  readonly avatar_url: string | null
  readonly banner: string | null
  readonly color: string | null
  readonly created: string | null
  readonly privacy: Levels
}

export interface MemberView {
  readonly id: string
  readonly uuid: string
  readonly name: string
  readonly display_name: string | null
  readonly color: string | null
  readonly birthday: string | null
  readonly pronouns: string | null
  readonly avatar_url: string | null
  readonly webhook_avatar_url: string | null
  readonly banner: string | null
  readonly description: string | null
  readonly created: string | null
  readonly proxy_tags: readonly ProxyTag[]
  readonly keep_proxy: boolean
  readonly tts: boolean
  readonly autoproxy_enabled: boolean | null
  readonly message_count: number | null
  readonly last_message_timestamp: string | null
  readonly privacy: Levels
}

export interface GroupView {
  readonly id: string
  readonly uuid: string
  readonly name: string
  readonly display_name: string | null
  readonly description: string | null
  readonly icon: string | null
  readonly banner: string | null
  readonly color: string | null
  readonly created: string | null
  readonly privacy: Levels
  /** UUIDs; absent if the list is private. */
  readonly members?: readonly string[]
}

export interface FrontView {
  readonly id: string
  readonly timestamp: string
  readonly members: readonly MemberView[]
}

export interface MessageView {
  readonly id: string
  readonly original: string
  readonly sender: string
  readonly channel: string
  readonly guild: string | null
  readonly timestamp: string
  readonly system: SystemView | null
  readonly member: MemberView | null
}

/** The viewer that sees what a stranger sees. */
export const stranger: Viewer = anonymousViewer

export async function viewSystem({ deps }: Context, viewer: Viewer, ref: string) {
  return parse<SystemView>(await readSystem(deps, viewer, ref))
}

export async function viewMember({ deps }: Context, viewer: Viewer, ref: string) {
  return parse<MemberView>(await readMember(deps, viewer, ref))
}

export async function viewGroup({ deps }: Context, viewer: Viewer, ref: string) {
  return parse<GroupView>(await readGroup(deps, viewer, ref))
}

export async function viewMembers({ deps }: Context, viewer: Viewer, ref: string) {
  return parse<readonly MemberView[]>(await readAllMembers(deps, viewer, ref))
}

export async function viewGroups({ deps }: Context, viewer: Viewer, ref: string) {
  return parse<readonly GroupView[]>(await readGroups(deps, viewer, ref, true))
}

export async function viewGroupMembers({ deps }: Context, viewer: Viewer, ref: string) {
  return parse<readonly MemberView[]>(await readGroupMembers(deps, viewer, ref))
}

export async function viewMemberGroups({ deps }: Context, viewer: Viewer, ref: string) {
  return parse<readonly GroupView[]>(await readMemberGroups(deps, viewer, ref))
}

export async function viewFront({ deps }: Context, viewer: Viewer, ref: string) {
  const json = await readFronters(deps, viewer, ref)
  return json === null ? null : parse<FrontView>(json)
}

export async function viewMessage({ deps }: Context, viewer: Viewer, id: string) {
  return parse<MessageView>(await readMessage(deps, viewer, id))
}

function parse<T>(json: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(json))
}
