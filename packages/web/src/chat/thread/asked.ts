import { seen } from '../../sessions/plain.ts'
import type { Ask } from '../state/run-view.ts'
import { isRecord } from '../state/run-view.ts'

const LONGEST = 4_000
const FIELDS = ['command', 'cmd', 'path', 'file_path', 'url', 'query'] as const

/** What is asked, in words, and what exactly would be run. */
export function askedOf({ label, detail }: Ask): { readonly said: string; readonly code: string | null } {
  const input = detail.input ?? detail.arguments ?? detail
  const exact = typeof input === 'string' ? input : isRecord(input) ? exactOf(input, input === detail) : null
  const code = exact === null || label.includes(exact) ? null : exact.slice(0, LONGEST)
  return { said: seen(label), code }
}

function exactOf(fields: Readonly<Record<string, unknown>>, isDetail: boolean): string | null {
  const one = FIELDS.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '')
  if (typeof one === 'string') return one
  return isDetail || Object.keys(fields).length === 0 ? null : JSON.stringify(fields, null, 2)
}
