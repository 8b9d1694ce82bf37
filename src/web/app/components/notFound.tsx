import { Page } from './page'

interface Props {
  message: string
  href: string
  linkText: string
}

/** Page for an unknown or deleted entity, with a link to continue. */
export function NotFound({ message, href, linkText }: Props) {
  return (
    <Page title={message}>
      <a class="beside" href={href}>
        {linkText}
      </a>
    </Page>
  )
}
