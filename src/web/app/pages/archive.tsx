import { decode } from '../address'
import { ArchiveList } from '../components/archive/archiveList'
import { CollectionPage } from '../components/archive/collection'
import { Conversion } from '../components/archive/conversion'
import { route } from '../route'

/** The collections of archived rows, the rows of one, or the conversion, by the address. */
export function Archive() {
  const { id } = { id: '', ...route.value }
  if (id === 'convert') return <Conversion />
  const [, name] = /^rows\/(.+)$/.exec(id) ?? []
  return name === undefined ? <ArchiveList /> : <CollectionPage name={decode(name)} />
}
