import { useEffect, useState } from 'preact/hooks'
import { group as groupTable } from '../../../model/group'
import { parseInstant, SECOND } from '../../../model/time'
import { requestOwn } from '../api'
import { formatter } from '../appearance'
import { now } from '../clock'
import { redactForPublic } from '../redact'
import { front, groups, type Member, system } from '../store'
import { memberStrings } from '../strings/member'
import { formatAgo, formatBirthday, formatDuration } from '../time'
import { isListed } from '../types'
import { tint } from './avatar'
import { CopyId, Fact, ProxyTags } from './profile'

interface Props {
  /** As whoever looks sees them. */
  seen: Member
  isOurs: boolean
  seesTimes: boolean
}

/** What is known of somebody, each with its name; what is not known is not there. */
export function MemberFacts({ seen, isOurs, seesTimes }: Props) {
  const times = useTimes(seen.id, seesTimes)
  const isHere = front.value?.members.includes(seen.id) ?? false
  const made = parseInstant(seen.created ?? '')
  const inside = groupsOf(seen, isOurs)
  return (
    <dl class="card facts">
      {seen.display_name && seen.display_name !== seen.name && (
        <Fact name={memberStrings.name}>{seen.name}</Fact>
      )}
      {seen.birthday && <Fact name={memberStrings.birthday}>{formatBirthday(seen.birthday)}</Fact>}
      {seen.proxy_tags.length > 0 && (
        <Fact name={memberStrings.tags}>
          <ProxyTags tags={seen.proxy_tags} />
        </Fact>
      )}
      {inside.length > 0 && (
        <Fact name={memberStrings.groups}>
          <span class="chips">
            {inside.map((group) => (
              <a
                key={group.uuid}
                class="chip tinted ringed"
                style={tint(group.color)}
                href={`#/groups/${group.id}`}
              >
                {group.display_name || group.name}
              </a>
            ))}
          </span>
        </Fact>
      )}
      {times && (
        <>
          <Fact name={memberStrings.lastHere}>
            {isHere ? memberStrings.hereNow : describeLast(times.last)}
          </Fact>
          <Fact name={memberStrings.lately}>
            {memberStrings.latelySum(formatDuration(times.time), times.stints)}
          </Fact>
        </>
      )}
      {seen.message_count > 0 && (
        <Fact name={memberStrings.messages}>{seen.message_count.toLocaleString()}</Fact>
      )}
      {made !== null && <Fact name={memberStrings.made}>{formatter.value.date(made)}</Fact>}
      <CopyId id={seen.id} />
    </dl>
  )
}

/** A stranger gets no list of groups where it is closed, and of open ones only those that are listed. */
function groupsOf({ uuid }: Member, isOurs: boolean) {
  const inside = groups.value.filter(({ members = [] }) => members.includes(uuid))
  if (isOurs) return inside
  if (system.value?.privacy?.group_list_privacy !== 'public') return []
  return inside.filter(isListed).map((group) => redactForPublic(groupTable, group))
}

interface Times {
  /** The end of the last time; null where there was none. */
  last: number | null
  time: number
  stints: number
}

interface Totals {
  members: { member: string; time: number; stints: number }[]
}

/** Asked of the server, which knows all of the history; anew when somebody switches. */
function useTimes(id: string, isWanted: boolean): Times | null {
  const [times, setTimes] = useState<Times | null>(null)
  const latest = front.value?.id
  useEffect(() => {
    if (!isWanted) return setTimes(null)
    let isCurrent = true
    const path = 'v2/systems/@me/fronting'
    Promise.all([
      requestOwn<Totals>(`${path}/totals`),
      requestOwn<{ to: string | null }[]>(`${path}/stints?member=${id}&limit=1&since=1900-01-01`),
    ]).then(
      ([totals, stints]) => {
        const own = totals?.members.find(({ member }) => member === id)
        const last = parseInstant(stints?.[0]?.to ?? '')
        const { time = 0, stints: many = 0 } = own ?? {}
        if (isCurrent) setTimes({ last, time: time * SECOND, stints: many })
      },
      () => {},
    )
    return () => {
      isCurrent = false
    }
  }, [id, isWanted, latest])
  return isWanted ? times : null
}

function describeLast(last: number | null): string {
  if (last === null) return memberStrings.never
  return memberStrings.lastHereAt(
    formatter.value.moment(last, now.value),
    formatAgo(now.value - last),
  )
}
