import type { Entity, Fields, Level } from '../../model/core/entity'
import type { Timestamp, ValueOf } from '../../model/core/field'

/** Fields as JSON: times are text, everything else is as it is stored. */
export type JsonFields<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Timestamp ? string | null : ValueOf<F[K]>
}

/** Entity as the APIs serialize it, without privacy levels. */
export type Json<E> = E extends Entity<infer F, string> ? JsonFields<F> : never

/** Entity of version 2: short ID and UUID, privacy levels in their own object. */
export type Serialized<E> =
  E extends Entity<infer F, infer L>
    ? Omit<JsonFields<F>, 'last_message_timestamp'> & {
        readonly id: string
        readonly uuid: string
        /** Null for anonymous callers. */
        readonly privacy: Readonly<Record<L, Level>> | null
      }
    : never

/** Path of a request, with the type of its answer. */
export type Path<T> = string & { readonly answer?: T }
