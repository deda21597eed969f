/**
 * The version of the redaction rules. Raise it when the rules find more than before, or when more tables are cleaned by them:
 * every store that was cleaned with an older version then cleans the rows it already holds.
 */
export const REDACTION_RULES = 5
