import type { Codes } from '../catalogue'
import { importReasons } from './importReasons'
import { problems } from './problems'

export const codes: Codes = { importReasons, problems }
