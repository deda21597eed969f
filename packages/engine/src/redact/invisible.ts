/** Ranges of characters without visible width: controls, formats, fillers, variation selectors. */
const RANGES: readonly (readonly [first: number, last: number])[] = [
  ...([
    [0x00, 0x08],
    [0x0b, 0x0c],
    [0x0e, 0x1a],
    [0x1c, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x034f, 0x034f],
    [0x061c, 0x061c],
    [0x115f, 0x1160],
    [0x180b, 0x180f],
    [0x200b, 0x200f],
    [0x202a, 0x202e],
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xfe00, 0xfe0f],
    [0xfeff, 0xfeff],
    [0xffa0, 0xffa0],
    [0xfff9, 0xfffb],
    // The high surrogate of the tags block and the later variation selectors.
    [0xdb40, 0xdb40],
  ] as const),
]

export const INVISIBLE_CHARACTERS = RANGES.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index)),
).join('')

/** ESC begins a sequence and is handled as such. */
const ESC = 0x1b

export const isInvisible = (code: number): boolean =>
  code === ESC ||
  (code >= 0xe0000 && code <= 0xe0fff) ||
  RANGES.some(([first, last]) => first <= code && code <= last)
