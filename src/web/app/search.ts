interface Findable {
  readonly id: string
  readonly name: string
  readonly display_name: string | null
  readonly pronouns: string | null
}

/** Without accents and capitals, as people type when they are in a hurry. */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

/** Those in whose name, pronouns or ID every word is found; names that begin with it come first. */
export function searchMembers<T extends Findable>(members: readonly T[], typed: string): T[] {
  const wanted = fold(typed)
  if (wanted === '') return [...members]
  const parts = wanted.split(/\s+/)
  return members
    .map((member) => {
      const names = fold(`${member.display_name ?? ''} ${member.name}`)
      const all = `${names} ${fold(member.pronouns ?? '')} ${member.id}`
      return { member, begins: ` ${names}`.includes(` ${wanted}`), all }
    })
    .filter(({ all }) => parts.every((part) => all.includes(part)))
    .sort((a, b) => Number(b.begins) - Number(a.begins))
    .map(({ member }) => member)
}
