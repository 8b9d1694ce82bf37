import { decode } from '../core/address'
import { route } from '../core/route'
import { ArchiveList } from '../features/transfer/archiveList'
import { CollectionPage } from '../features/transfer/collection'
import { Conversion } from '../features/transfer/conversion'

/** The collections of archived rows, the rows of one, or the conversion, by the address. */
export function Archive() {
  const { id } = { id: '', ...route.value }
  if (id === 'convert') return <Conversion />
  const [, name] = /^rows\/(.+)$/.exec(id) ?? []
  return name === undefined ? <ArchiveList /> : <CollectionPage name={decode(name)} />
}
