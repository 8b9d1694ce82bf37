import { useState } from 'preact/hooks'
import { parseInstant } from '../../../model/core/time'
import { requestOwn } from '../../core/api'
import { formatter } from '../../core/appearance'
import { isOffline } from '../../core/store'
import { useAction } from '../../core/useAction'
import { now } from '../../lib/clock'
import { moreStrings } from '../../texts/texts'
import { CopyField } from '../../ui/copyField'
import { ProblemText } from '../../ui/problemText'
import { encodeQrCode, type QrCode } from './qrCode'

interface LoginLink {
  readonly url: string
  readonly expires: string
}

/** Creates a link, also as a QR code, that logs another device in. */
export function AnotherDevice() {
  const [link, setLink] = useState<LoginLink | null>(null)
  const { run, problem, isBusy } = useAction()
  const create = async () => {
    setLink(await requestOwn<LoginLink>('web/login-links', { method: 'POST' }))
  }
  const expires = parseInstant(link?.expires ?? '') ?? 0
  const isOver = link !== null && expires <= now.value
  const code = link && !isOver ? encodeQrCode(link.url) : null
  return (
    <section class="card" aria-labelledby="another-device">
      <h2 id="another-device">{moreStrings.anotherDevice}</h2>
      <p class="quiet">{moreStrings.anotherDeviceMore}</p>
      {code && <QrImage code={code} />}
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

function QrImage({ code: { size, isDark } }: { code: QrCode }) {
  const indices = Array.from({ length: size }, (_, at) => at)
  const path = indices
    .flatMap((y) => indices.filter((x) => isDark(x, y)).map((x) => `M${x} ${y}h1v1h-1z`))
    .join('')
  const width = size + 2 * MARGIN
  return (
    <svg
      class="qr"
      role="img"
      aria-label={moreStrings.qrCode}
      viewBox={`${-MARGIN} ${-MARGIN} ${width} ${width}`}
      shape-rendering="crispEdges"
    >
      <rect x={-MARGIN} y={-MARGIN} width={width} height={width} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
