import type { BundleChunk, BundleHead } from '../../../formats/chunks'
import { allLevels } from '../../../formats/repair'
import { group } from '../../../model/groups/group'
import { member } from '../../../model/members/member'
import { system } from '../../../model/systems/system'

/** Makes the members and groups of a file private, and leaves the privacy of the system unchanged. */
export async function* asPrivate(chunks: AsyncIterable<BundleChunk>): AsyncGenerator<BundleChunk> {
  for await (const chunk of chunks) {
    if ('head' in chunk) yield { head: withoutPrivacy(chunk.head) }
    else if ('members' in chunk)
      yield {
        members: chunk.members.map((row) => ({
          ...row,
          values: { ...row.values, ...hidden.member },
        })),
      }
    else if ('groups' in chunk)
      yield {
        groups: chunk.groups.map((row) => ({ ...row, values: { ...row.values, ...hidden.group } })),
      }
    else if ('ext' in chunk && chunk.part === 'fields')
      yield {
        ...chunk,
        ext: chunk.ext.map((row) => ({ ...row, values: { ...row.values, privacy: 'private' } })),
      }
    else yield chunk
  }
}

const hidden = { member: allLevels(member, 'private'), group: allLevels(group, 'private') }

function withoutPrivacy(head: BundleHead): BundleHead {
  const {
    member_default_private: _members,
    group_default_private: _groups,
    ...settings
  } = head.settings
  const patch = { ...head.system.patch }
  for (const level of system.levels) delete patch[level]
  const { extSettings: _, ...rest } = head
  return { ...rest, settings, system: { ...head.system, patch } }
}
