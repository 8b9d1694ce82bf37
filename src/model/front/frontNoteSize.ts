/** Characters of the texts about a front. Apart from their table, which the first page does not need. */
export const MAX_STATUS = 100
export const MAX_COMMENT = 4_000
