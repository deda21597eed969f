import type { RuntimeRequest } from './port.ts'

/** The memory lines that each runtime reads by itself. */
const OWN: Readonly<Record<string, RegExp>> = {
  hermes: /^- Hermes, of /,
  'claude-code': /^- Claude Code(?:, of [^\n]*?)?: /,
}

/** The fenced section about the user and the line that introduces it. */
const PERSON_SECTION =
  /^[^\n]*\n<data-([0-9a-f]+) kind="about-the-person">\n([\s\S]*?)\n<\/data-\1>(?:\n\n)?/gm

/**
 * Removes what the runtime remembers itself from a request, so that it does not get it twice. The
 * same text always gives the same result.
 */
export function stripOwnMemory(request: RuntimeRequest, source: string | null): RuntimeRequest {
  const own = OWN[source ?? '']
  if (own === undefined) return request
  const stripSection = (text: string) =>
    text.replace(PERSON_SECTION, (section, _mark, items: string) => removeOwnItems(section, items, own))
  return {
    ...request,
    baseline: stripSection(request.baseline).trimEnd(),
    preamble: stripSection(request.preamble).trimEnd(),
    history: request.history.map((one) =>
      one.preamble ? { ...one, preamble: stripSection(one.preamble).trimEnd() } : one,
    ),
  }
}

function removeOwnItems(section: string, items: string, own: RegExp): string {
  const all = items.split(/\n(?=- )/)
  const others = all.filter((item) => !own.test(item))
  if (others.length === all.length) return section
  return others.length === 0 ? '' : section.replace(items, () => others.join('\n'))
}
