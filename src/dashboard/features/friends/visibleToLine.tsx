import type { Form } from '../form/form'
import { VisibleTo } from './bucketChecks'
import type { LoadedBuckets } from './friends'

interface Props {
  form: Form
  buckets: LoadedBuckets
}

/** Buckets of a form whose friends see the member or group. */
export function VisibleToLine({ form, buckets }: Props) {
  const chosen = form.values.buckets
  return (
    <div class="line wide-line">
      <VisibleTo
        buckets={buckets}
        chosen={Array.isArray(chosen) ? chosen : []}
        onChange={(ids) => form.change('buckets', ids)}
      />
    </div>
  )
}
