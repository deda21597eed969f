import { oneLine } from '../../sessions/plain.ts'
import { isRecord, type RunNode } from '../state/run-view.ts'

const LINE = 160
const MAIN_FIELDS = [
  'command',
  'file_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'name',
]

/** The one thing that says most of what a tool was called with. */
export function aboutOf({ detail, label }: RunNode): string {
  if (typeof detail === 'string') return oneLine(detail, LINE)
  if (!isRecord(detail)) return ''
  const input = detail.input ?? detail.arguments ?? detail.preview
  const said = typeof input === 'string' ? input : isRecord(input) ? fieldOf(input) : fieldOf(detail)
  const files = Array.isArray(detail.files) ? detail.files.filter((one) => typeof one === 'string') : []
  const about = oneLine(said ?? files[0] ?? '', LINE)
  return about === oneLine(label, LINE) ? '' : about
}

function fieldOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  const main = MAIN_FIELDS.map((name) => fields[name]).find((one) => typeof one === 'string' && one !== '')
  return typeof main === 'string' ? main : undefined
}

/** All that is known of it, as it was told; null where that is nothing. */
export function detailText(detail: unknown): string | null {
  if (detail === null || detail === undefined) return null
  if (typeof detail === 'string') return detail === '' ? null : detail
  if (!isRecord(detail)) return JSON.stringify(detail, null, 2)
  const lines = Object.entries(detail).flatMap(([name, value]) => {
    if (value === undefined || value === null || value === '') return []
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
    return [`${name}: ${text.includes('\n') ? `\n${text}` : text}`]
  })
  return lines.length === 0 ? null : lines.join('\n')
}
