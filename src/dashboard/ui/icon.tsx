/** Stroke paths on a 24×24 grid. An icon always has a text beside it or an accessible name. */
const paths = {
  now: 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M12 7.5V12l3 2',
  members:
    'M9 4a4 4 0 1 0 0 8a4 4 0 1 0 0-8M2.5 20a6.5 6.5 0 0 1 13 0M15.5 4.4a4 4 0 0 1 0 7.2M18 14.4a6.5 6.5 0 0 1 3.5 5.6',
  history: 'M4 6h16M4 12h9M4 18h13',
  insights: 'M5 20v-7M12 20V4M19 20v-11',
  more: 'M5 11.5a.5 .5 0 1 0 0 1a.5 .5 0 1 0 0-1M12 11.5a.5 .5 0 1 0 0 1a.5 .5 0 1 0 0-1M19 11.5a.5 .5 0 1 0 0 1a.5 .5 0 1 0 0-1',
  close: 'M6 6l12 12M18 6L6 18',
  search: 'M11 4a7 7 0 1 0 0 14a7 7 0 1 0 0-14M16 16l4.5 4.5',
  swap: 'M4 9h15M15.5 5.5L19 9l-3.5 3.5M20 15.5H5M8.5 12l-3.5 3.5L8.5 19',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  edit: 'M4 20l1-4L16.5 4.5a2 2 0 0 1 3 3L8 19zM14 7l3 3',
  back: 'M15 5l-7 7l7 7',
  forth: 'M9 5l7 7l-7 7',
  up: 'M5 15l7-7l7 7',
  down: 'M5 9l7 7l7-7',
  eye: 'M2.5 12c2-4 5.5-6.5 9.5-6.5s7.5 2.5 9.5 6.5c-2 4-5.5 6.5-9.5 6.5S4.5 16 2.5 12M12 9a3 3 0 1 0 0 6a3 3 0 1 0 0-6',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
} as const

export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
