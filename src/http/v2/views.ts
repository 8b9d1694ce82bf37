import { type Member, member } from '../../model/member'
import { redact } from '../../model/privacy'
import { type System, system } from '../../model/system'
import { switchToV2, toV2 } from '../../serializers/v2'
import type { Front } from '../../service/switches'

/** Each function redacts and serializes an entity. */

export function showSystem(row: System, owner: boolean) {
  return toV2(system, redact(system, row, owner))
}

function showMember(row: Member, owner: boolean) {
  return toV2(member, redact(member, row, owner))
}

export function showFront(front: Front, owner: boolean) {
  return switchToV2(
    front,
    front.members.map((row) => showMember(row, owner)),
  )
}
