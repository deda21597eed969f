import { failsAsJson } from './json.ts'
import { failsAsText } from './text.ts'

/** Whether a result says that the call failed: by its source, else by its shape, whatever tool it is of. */
export const hasFailed = ({ ok, text }: { readonly ok: boolean | null; readonly text: string }): boolean =>
  ok === false || (isObject(text) ? failsAsJson(text) : failsAsText(text))

const isObject = (text: string): boolean => /^\s*\{/.test(text.slice(0, 64))
