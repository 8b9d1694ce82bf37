import { type Member, member } from '../../model/member'
import { type Audience, redact } from '../../model/privacy'
import { type System, system } from '../../model/system'
import { switchToV2, toV2 } from '../../serializers/v2'
import type { Front } from '../../service/switches'

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
