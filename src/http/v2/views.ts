import { type Audience, redact } from '../../model/core/privacy'
import type { Front } from '../../model/front/switch'
import { type Member, member } from '../../model/members/member'
import { type System, system } from '../../model/systems/system'
import { switchToV2, toV2 } from '../../serializers/v2'

/** Each function redacts and serializes an entity. */

export function showSystem(row: System, audience: Audience) {
  return toV2(system, redact(system, row, audience))
}

function showMember(row: Member, audience: Audience) {
  return toV2(member, redact(member, row, audience))
}

export function showFront(front: Front, audience: Audience) {
  return switchToV2(
    front,
    front.members.map((row) => showMember(row, audience)),
  )
}
