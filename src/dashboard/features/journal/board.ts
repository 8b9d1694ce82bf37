import { SYSTEM_BOARD } from './journal'

/** Where posts are: the board of a member or of the whole system, or a room. */
export interface Board {
  /** Query of its posts; also the name of its draft. */
  readonly query: string
  readonly isBoard: boolean
  /** Keys of a new post. */
  readonly target: { readonly for?: string; readonly room?: string }
}

/** Returns the board of a member by UUID, or of the system. */
export function boardOf(board: string): Board {
  return {
    query: `for=${encodeURIComponent(board)}`,
    isBoard: true,
    target: board === SYSTEM_BOARD ? {} : { for: board },
  }
}

export function boardOfRoom(room: string): Board {
  return { query: `room=${room}`, isBoard: false, target: { room } }
}
