const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML and XML, in content and in attributes. */
export const markup = (text: string): string => text.replace(/[&<>"']/g, (letter) => ENTITIES[letter] ?? '')
