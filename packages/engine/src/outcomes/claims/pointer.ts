import { mainCommand } from '../tool-calls/test-run.ts'
import { normalizeToolName } from '../tool-calls/tools.ts'

/** A possible target of a pointer. */
export type Target =
  | { readonly kind: 'call'; readonly id: string; readonly isCut: boolean }
  | { readonly kind: 'step'; readonly n: number; readonly tool: string | undefined }
  | { readonly kind: 'tool'; readonly tool: string }
  | { readonly kind: 'command'; readonly phrase: string; readonly run: number | undefined }
  | { readonly kind: 'file'; readonly path: string; readonly line: number | undefined }
  | { readonly kind: 'row'; readonly journal: string; readonly row: number | string }
  | { readonly kind: 'url' }

/** A pointer with more characters names nothing. */
const MOST = 300
const ID = /\b(?:toolu|tooluse|call|fc|chatcmpl-tool|srvtoolu)_[\w-]{1,120}(?:…|\.{3})?/
const STEP = /\b(?:step|message|msg)s?[ #:]{0,3}(\d{1,7})\b/i
const ROW = /^([\w.-]{1,120}?)(?:\.jsonl)?(?:,? row |#| #)([\w.-]{1,120})$/i
const JOURNAL_LINE = /^([\w.-]{1,120}?)(\.jsonl)?(?::|,? line )(\d{1,9})$/i
const IN_JOURNALS = /(?:^|\/)(?:journals|time-metrics)\/([\w.-]{1,120}\.jsonl)(.*)$/i
const FILE = /^(.{1,280}?)(?:(?::|#L|,? lines? )(\d{1,9})(?:[:-]\d{1,9})?)?$/
const EXTENSION = /\.[A-Za-z][A-Za-z0-9]{0,9}$/
const NAMED_FILE = /^(?:Makefile|Dockerfile|README|LICENSE|CHANGELOG|Gemfile|Justfile)$/
const AROUND_TOOL =
  /\b(?:the|last|latest|my|this|output|outputs|result|results|call|run|tool|of|from|in|above|session)\b/gi
const RUN = /^(.{1,200}?),? (?:run|attempt|try) #?(\d{1,4})$/i

/**
 * Returns the possible targets of a pointer, likeliest first. `tools` are the session's normalized
 * tool names.
 */
export function parseTargets(pointer: string, tools: ReadonlySet<string>): readonly Target[] {
  const text = pointer
    .trim()
    .replace(/^[`'"]{1,3}|[`'"]{1,3}$/g, '')
    .trim()
  if (text === '' || text.length > MOST) return []
  if (/^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(text)) return [{ kind: 'url' }]
  const calls = callsIn(text, tools)
  const steps = stepsIn(text, tools)
  // A pointer that names one call or place stands for no other if that one does not exist.
  if (steps.length > 0 || ID.test(text)) return [...calls, ...steps]
  return [...calls, ...rowsIn(text), ...filesIn(text), ...toolsIn(text, tools), ...commandTargets(text)]
}

/** True if it names a call by something that looks like an id. */
export const namesCall = (pointer: string): boolean => ID.test(pointer)

function callsIn(text: string, tools: ReadonlySet<string>): readonly Target[] {
  const found = ID.exec(text)?.[0]
  const colon = text.indexOf(':')
  const after = text.slice(colon + 1).trim()
  const isOfTool = colon > 0 && tools.has(normalizeToolName(text.slice(0, colon))) && /^[\w.:-]+$/.test(after)
  const ids = [
    ...new Set([found, isOfTool ? after : undefined, /^[\w.:-]{4,200}$/.test(text) ? text : undefined]),
  ]
  return ids.flatMap((id): readonly Target[] => {
    if (id === undefined) return []
    const whole = id.replace(/(?:…|\.{3})$/, '')
    return [{ kind: 'call', id: whole, isCut: whole !== id && whole.length >= 8 }]
  })
}

function stepsIn(text: string, tools: ReadonlySet<string>): readonly Target[] {
  const found = STEP.exec(text)
  const alone = /^([\w ]{1,60})[:#](\d{1,7})$/.exec(text)
  const [n, before] = found ? [found[1], text.slice(0, found.index)] : [alone?.[2], alone?.[1] ?? '']
  if (n === undefined) return []
  const tool = toolsIn(before.replace(/[,;:\s]+$/, ''), tools)[0]
  if (found === null && tool === undefined) return []
  return [{ kind: 'step', n: Number(n), tool: tool?.kind === 'tool' ? tool.tool : undefined }]
}

function rowsIn(text: string): readonly Target[] {
  const [, file, rest = ''] = IN_JOURNALS.exec(text) ?? []
  const own = file === undefined ? text : file + rest
  const row = ROW.exec(own)
  if (row?.[1] !== undefined && row[2] !== undefined)
    return [{ kind: 'row', journal: row[1], row: /^\d{1,9}$/.test(row[2]) ? Number(row[2]) : row[2] }]
  const line = JOURNAL_LINE.exec(own)
  if (line?.[1] === undefined || (line[2] === undefined && EXTENSION.test(line[1]))) return []
  return [{ kind: 'row', journal: line[1], row: Number(line[3]) }]
}

function filesIn(text: string): readonly Target[] {
  const [, path = '', line] = FILE.exec(text) ?? []
  const name = path.slice(path.lastIndexOf('/') + 1)
  const looksSo =
    (path.includes('/') && !/\s\/|\/\s/.test(path)) || EXTENSION.test(name) || NAMED_FILE.test(name)
  if (!looksSo || name === '' || path.includes('\0')) return []
  return [{ kind: 'file', path, line: line === undefined ? undefined : Number(line) }]
}

function toolsIn(text: string, tools: ReadonlySet<string>): readonly Target[] {
  for (const part of text.split(/[,;()]/, 4))
    for (const name of [part, part.replace(AROUND_TOOL, ' ')]) {
      const tool = normalizeToolName(name)
      if (tool !== '' && tools.has(tool)) return [{ kind: 'tool', tool }]
    }
  return []
}

function commandTargets(text: string): readonly Target[] {
  const run = RUN.exec(text)
  const line = (run?.[1] ?? text).trim().replace(/^\$ /, '')
  const phrase = /^[\w./(-]/.test(line) ? mainCommand(line).join(' ') : ''
  if (phrase.length < 2) return []
  return [{ kind: 'command', phrase, run: run?.[2] === undefined ? undefined : Number(run[2]) }]
}
