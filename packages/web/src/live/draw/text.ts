const SANS = 'Inter, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif'
const MONO = '"JetBrains Mono", ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace'

export const FONTS = {
  name: `400 12px ${SANS}`,
  strong: `600 12px ${SANS}`,
  title: `600 13px ${SANS}`,
  sub: `400 12px ${SANS}`,
  small: `400 11px ${SANS}`,
  smallStrong: `600 11px ${SANS}`,
  tool: `400 11px ${MONO}`,
} as const

export type FontName = keyof typeof FONTS

/** Clears the lines under a text that is drawn next. */
export function clearBehindText(
  pen: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  colors: { readonly canvas: string },
): void {
  pen.lineWidth = 3.5
  pen.strokeStyle = colors.canvas
  pen.strokeText(text, x, y)
}

const widths = new Map<string, number>()
const MOST = 20_000

/** Measures the width of a text, with a cache. */
export function textWidth(pen: CanvasRenderingContext2D, text: string, font: FontName): number {
  const key = `${font}\n${text}`
  const cached = widths.get(key)
  if (cached !== undefined) return cached
  if (widths.size > MOST) widths.clear()
  pen.font = FONTS[font]
  const { width } = pen.measureText(text)
  widths.set(key, width)
  return width
}

/** Cuts a text to the available width. */
export function cut(pen: CanvasRenderingContext2D, text: string, font: FontName, room: number): string {
  if (textWidth(pen, text, font) <= room) return text
  let low = 0
  let high = text.length
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (textWidth(pen, `${text.slice(0, middle)}…`, font) <= room) low = middle
    else high = middle - 1
  }
  return low === 0 ? '' : `${text.slice(0, low).trimEnd()}…`
}
