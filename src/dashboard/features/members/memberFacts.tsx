import { useEffect, useState } from 'preact/hooks'
import { parseInstant, SECOND } from '../../../model/core/time'
import { request } from '../../api/client'
import { statisticsPath } from '../../api/resources'
import type { Group, Member } from '../../api/types'
import { formatter } from '../../core/appearance'
import { front } from '../../core/store'
import { now } from '../../lib/clock'
import { formatAgo, formatDuration } from '../../lib/time'
import { memberStrings, strings } from '../../texts/texts'
import { tint } from '../../ui/avatar'
import { CopyId, Fact, ProxyTags } from '../../ui/profile'

interface Props {
  /** Redacted for the chosen view mode. */
  member: Member
  /** Groups that are visible in it. */
  inside: readonly Group[]
  canSeeTimes: boolean
}

/** List of a member's fields; empty ones are omitted. */
export function MemberFacts({ member, inside, canSeeTimes }: Props) {
  const times = useTimes(member.id, canSeeTimes)
  const isHere = front.value?.members.includes(member.id) ?? false
  const created = parseInstant(member.created ?? '')
  return (
    <dl class="card facts">
      {member.display_name && member.display_name !== member.name && (
        <Fact name={memberStrings.name}>
          <bdi>{member.name}</bdi>
        </Fact>
      )}
      {member.birthday && (
        <Fact name={memberStrings.birthday}>{formatter.value.birthday(member.birthday)}</Fact>
      )}
      {member.proxy_tags.length > 0 && (
        <Fact name={memberStrings.tags}>
          <ProxyTags tags={member.proxy_tags} />
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
                <bdi>{group.display_name || group.name}</bdi>
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
          <Fact name={memberStrings.recently}>
            {memberStrings.recentSum(formatDuration(times.time), times.stints)}
          </Fact>
        </>
      )}
      {member.message_count > 0 && (
        <Fact name={memberStrings.messages}>{strings.number(member.message_count)}</Fact>
      )}
      {created !== null && (
        <Fact name={memberStrings.addedOn}>{formatter.value.date(created)}</Fact>
      )}
      <CopyId id={member.id} />
    </dl>
  )
}

interface Times {
  /** End of the last stint; null without one. */
  last: number | null
  time: number
  stints: number
}

interface Totals {
  members: { member: string; time: number; stints: number }[]
}

/**
 * Requests the member's fronting times from the server, because only the server has the whole
 * history; repeats the request after every switch.
 */
function useTimes(id: string, isWanted: boolean): Times | null {
  const [times, setTimes] = useState<Times | null>(null)
  const latest = front.value?.id
  useEffect(() => {
    if (!isWanted) return setTimes(null)
    let isCurrent = true
    Promise.all([
      request<Totals>(`${statisticsPath}/totals`),
      request<{ to: string | null }[]>(
        `${statisticsPath}/stints?member=${id}&limit=1&since=1900-01-01`,
      ),
    ]).then(
      ([totals, stints]) => {
        const total = totals?.members.find(({ member }) => member === id)
        const last = parseInstant(stints?.[0]?.to ?? '')
        const { time = 0, stints: stintCount = 0 } = total ?? {}
        if (isCurrent) setTimes({ last, time: time * SECOND, stints: stintCount })
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
