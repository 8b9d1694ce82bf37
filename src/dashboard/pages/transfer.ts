/** Pages that are loaded together, because they share the report of an import. */

export { ConvertOffer } from '../features/transfer/convertOffer'
export { Archive } from './archive'
export { Import } from './import'
