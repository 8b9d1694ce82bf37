import { eq } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { memberExts } from '../../db/tables'
import type { Db } from '../../db/types'
import type { MemberExt } from '../../model/members/memberExt'

export async function kindOf(db: Db, memberId: number): Promise<MemberExt['kind']> {
  return (await byMember(db).get({ id: memberId }))?.kind ?? 'member'
}

const byMember = query((db, { id }: Placeholders<'id'>) =>
  db.select({ kind: memberExts.kind }).from(memberExts).where(eq(memberExts.member_id, id)),
)
