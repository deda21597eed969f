import type { RuntimeRequest } from './port.ts'

/** What each reads itself of what others are told of it. */
const OWN: Readonly<Record<string, RegExp>> = {
  hermes: /^- Hermes, of /,
  'claude-code': /^- Claude Code(?:, of [^\n]*?)?: /,
}

/** What is told of the person, between its fences, and the line that leads to it. */
const TOLD = /^[^\n]*\n<data-([0-9a-f]+) kind="about-the-person">\n([\s\S]*?)\n<\/data-\1>(?:\n\n)?/gm

/** A request without what the runtime remembers itself: it would be told it twice. The same text gives the same text. */
export function withoutOwnMemory(request: RuntimeRequest, source: string | null): RuntimeRequest {
  const own = OWN[source ?? '']
  if (own === undefined) return request
  const told = (text: string) =>
    text.replace(TOLD, (section, _mark, items: string) => without(section, items, own))
  return {
    ...request,
    baseline: told(request.baseline).trimEnd(),
    preamble: told(request.preamble).trimEnd(),
    history: request.history.map((one) =>
      one.preamble ? { ...one, preamble: told(one.preamble).trimEnd() } : one,
    ),
  }
}

function without(section: string, items: string, own: RegExp): string {
  const all = items.split(/\n(?=- )/)
  const others = all.filter((item) => !own.test(item))
  if (others.length === all.length) return section
  return others.length === 0 ? '' : section.replace(items, () => others.join('\n'))
}
