import { importReasons } from './importReasons'
import { problems } from './problems'

/** English texts by the codes of the server, in a script of their own because of its size. */
export const codes = { importReasons, problems }
