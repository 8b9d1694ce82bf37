import { useState } from 'preact/hooks'
import encodeQR from 'qr'
import { parseInstant } from '../../../model/core/time'
import { request } from '../../api/client'
import { loginLinksPath } from '../../api/resources'
import { formatter } from '../../core/appearance'
import { isOffline } from '../../core/store'
import { useAction } from '../../core/useAction'
import { now } from '../../lib/clock'
import { moreStrings } from '../../texts/texts'
import { CopyField } from '../../ui/copyField'
import { ProblemText } from '../../ui/problemText'

interface LoginLink {
  readonly url: string
  readonly expires: string
}

/** Creates a link, also as a QR code, that logs another device in. */
export function AnotherDevice() {
  const [link, setLink] = useState<LoginLink | null>(null)
  const { run, problem, isBusy } = useAction()
  const create = async () => {
    setLink(await request<LoginLink>(loginLinksPath, { method: 'POST' }))
  }
  const expires = parseInstant(link?.expires ?? '') ?? 0
  const isOver = link !== null && expires <= now.value
  return (
    <section class="card" aria-labelledby="another-device">
      <h2 id="another-device">{moreStrings.anotherDevice}</h2>
      <p class="quiet">{moreStrings.anotherDeviceMore}</p>
      {link && !isOver && <QrImage text={link.url} />}
      {link && !isOver && (
        <CopyField
          label={moreStrings.loginLink}
          value={link.url}
          hint={moreStrings.loginLinkMore(formatter.value.moment(expires, now.value))}
        />
      )}
      {isOver && <p role="status">{moreStrings.loginLinkIsOver}</p>}
      <ProblemText text={problem} />
      <div>
        <button
          type="button"
          aria-disabled={isOffline.value}
          aria-busy={isBusy || undefined}
          onClick={() => run(create)}
        >
          {link ? moreStrings.anotherLoginLink : moreStrings.createLoginLink}
        </button>
      </div>
    </section>
  )
}

/** Light modules around a code, which scanners need. */
const MARGIN = 4

function QrImage({ text }: { text: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: MARGIN })
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      class="qr"
      role="img"
      aria-label={moreStrings.qrCode}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shape-rendering="crispEdges"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
