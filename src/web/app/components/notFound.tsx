import { Page } from './page'

interface Props {
  message: string
  href: string
  onward: string
}

/** What is not there, or not any more; with a way on. */
export function NotFound({ message, href, onward }: Props) {
  return (
    <Page place={message}>
      <a class="beside" href={href}>
        {onward}
      </a>
    </Page>
  )
}
