import { type Audience, audienceOf, isWatcher, redact, type Viewer } from '../../model/core/privacy'
import { type Member, member } from '../../model/members/member'
import { type System, system, withWatcherVisibility } from '../../model/systems/system'
import { memberToV1, systemToV1 } from '../../serializers/v1'

export const TAG = 'Version 1 (deprecated)'

export function showSystem(row: System, viewer: Viewer) {
  const visible = isWatcher(viewer, row.id) ? withWatcherVisibility(row) : row
  return systemToV1(redact(system, visible, audienceOf(viewer, row.id)))
}

export function showMember(row: Member, audience: Audience) {
  return memberToV1(redact(member, row, audience))
}
