import type { Form } from '../form/form'
import { VisibleTo } from './bucketChecks'

/** Buckets of a form whose friends see the member or group. */
export function VisibleToLine({ form }: { form: Form }) {
  const { buckets } = form.values
  return (
    <div class="line wide-line">
      <VisibleTo
        chosen={Array.isArray(buckets) ? buckets : []}
        onChange={(chosen) => form.change('buckets', chosen)}
      />
    </div>
  )
}
