import { useEffect, useState } from 'preact/hooks'
import { api, friendStreamPath } from '../../api/resources'
import type { FriendFront } from '../../api/types'
import { useQuery } from '../../core/useQuery'
import { subscribeWhileVisible } from '../../core/visibleStream'

type Fronts = ReadonlyMap<string, FriendFront | null>

/** Loads the friends, and follows who is fronting there. */
export function useFriends() {
  const { data, problem, reload } = useQuery(api.friends.list, 'friends')
  const [fronts, setFronts] = useState<Fronts>(new Map())
  useEffect(
    () =>
      subscribeWhileVisible({
        path: friendStreamPath,
        onEvent({ name, data }) {
          const { friend, front } = JSON.parse(data) as { friend: string; front?: FriendFront }
          if (name === 'front') setFronts((before) => new Map(before).set(friend, front ?? null))
          else if (name === 'end') reload()
        },
        onStateChange() {},
      }),
    [],
  )
  const friends = data?.map((friend) => {
    const front = fronts.get(friend.id)
    return front === undefined ? friend : { ...friend, front }
  })
  return { friends: friends ?? null, problem, reload }
}
