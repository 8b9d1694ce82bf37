import { HOUR } from '../../../model/core/time'
import type { Bucket } from '../../../model/insights/calendar'
import { formatter } from '../../core/appearance'
import { type Piece, piecesOf, piecesOfOne } from '../../core/history'
import { switches } from '../../core/store'
import { now } from '../../lib/clock'
import { strings } from '../../texts/texts'

export interface ShownProps {
  only: string | undefined
}

export function piecesIn(day: Bucket, only: string | undefined): Piece[] {
  const pieces = piecesOf(switches.value, day, now.value)
  return only === undefined ? pieces : piecesOfOne(pieces, only)
}

export function nameDay(day: Bucket): string {
  const isToday = day.start <= now.value && now.value < day.end
  return isToday ? strings.today : formatter.value.day(day.start + HOUR)
}
