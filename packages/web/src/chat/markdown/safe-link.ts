const ALLOWED = ['http:', 'https:', 'mailto:']
const LONGEST = 4_000

/** An address that a link may lead to; null for everything else, such as scripts, files and what leads into this page. */
export function safeLink(href: string): string | null {
  if (href.length > LONGEST) return null
  try {
    const address = new URL(href)
    return ALLOWED.includes(address.protocol) ? address.href : null
  } catch {
    return null
  }
}
