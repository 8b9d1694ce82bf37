import { Page } from './page'

interface Props {
  told: string
  href: string
  onward: string
}

/** What is not there, or not any more; with a way on. */
export function NotThere({ told, href, onward }: Props) {
  return (
    <Page place={told}>
      <a class="beside" href={href}>
        {onward}
      </a>
    </Page>
  )
}
