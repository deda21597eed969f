import { isNestedTooDeep, TOO_DEEP, tryParseJson } from '@panoptes/schema/json'
/** Parses a JSON text. Undefined when it is invalid. */
export const parsed = (text: string | null): unknown => (text === null ? undefined : tryParseJson(text))

/** Explains why a text is not a JSON object. */
export const objectProblem = (text: string | null): string =>
  text !== null && isNestedTooDeep(text) ? TOO_DEEP : 'is not a JSON object'
