/** Pages that are loaded together, because they share the report of an import. */

export { ConvertOffer } from '../components/archive/convertOffer'
export { Archive } from './archive'
export { Import } from './import'
