const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as HTML and XML take it, also within quotes. */
export const markup = (text: string): string => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? '')
