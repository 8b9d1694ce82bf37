import { useEffect, useState } from 'preact/hooks'
import { useQuery } from '../../core/useQuery'
import { subscribeWhileVisible } from '../../core/visibleStream'
import { FRIENDS_PATH, type Friend, type FriendFront } from './friends'

type Fronts = ReadonlyMap<string, FriendFront | null>

/** Loads the friends, and follows who is fronting there. */
export function useFriends() {
  const { data, problem, reload } = useQuery<readonly Friend[]>(FRIENDS_PATH, 'friends')
  const [fronts, setFronts] = useState<Fronts>(new Map())
  useEffect(
    () =>
      subscribeWhileVisible({
        path: `${FRIENDS_PATH}/stream`,
        onEvent({ name, data }) {
          const { friend, front } = JSON.parse(data) as { friend: string; front?: FriendFront }
          if (name === 'front') setFronts((before) => new Map(before).set(friend, front ?? null))
          else if (name === 'end') reload()
        },
        onStateChange() {},
      }),
    [],
  )
  const friends = data?.map((one) => {
    const front = fronts.get(one.id)
    return front === undefined ? one : { ...one, front }
  })
  return { friends: friends ?? null, problem, reload }
}
