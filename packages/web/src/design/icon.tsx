export type IconName = keyof typeof paths

/** Lines on a 16-pixel square. */
const paths = {
  live: 'M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  stepBack: 'M4 3.5v9M12.5 3.5v9L6.5 8Z',
  stepOn: 'M12 3.5v9M3.5 3.5v9L9.5 8Z',
  plus: 'M8 3.5v9M3.5 8h9',
  minus: 'M3.5 8h9',
  table: 'M2.5 3h11v10h-11ZM2.5 6.3h11M2.5 9.6h11M6 3v10',
  agent: 'M8 12.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM8 8.01V8',
  files: 'M5.5 4.5h8v9h-8ZM3 11.5v-9h8',
  events: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  badge: 'M8 1.8 13.3 4.9v6.2L8 14.2l-5.3-3.1V4.9ZM5.8 8.1l1.6 1.6 2.9-3.2',
  layers: 'M8 2.2 14.2 5.4 8 8.6 1.8 5.4ZM1.8 8.2 8 11.4l6.2-3.2M1.8 11 8 14.2l6.2-3.2',
  ledger: 'M2 13.5h12M4 13.5V9M8 13.5v-10M12 13.5V6.5',
  fan: 'M2.5 3.5C7 3.5 7 8 12 8M2.5 8H12M2.5 12.5C7 12.5 7 8 12 8M13 9.3a1.3 1.3 0 1 0 0-2.6 1.3 1.3 0 0 0 0 2.6Z',
  chat: 'M2.5 3.5h11v7.5H7.5L4.5 13.5V11h-2Z',
  clip: 'M12.5 7.2 7.8 11.9a2.6 2.6 0 0 1-3.7-3.7l5-5a1.8 1.8 0 0 1 2.5 2.5l-4.9 4.9a.9.9 0 0 1-1.2-1.2l4.3-4.3',
  fork: 'M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM8 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM4.5 5.5c0 2.5 3.5 2 3.5 5M11.5 5.5c0 2.5-3.5 2-3.5 5',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M6.8 7v4M9.2 7v4',
  pencil: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3Z',
  stop: 'M4.5 4.5h7v7h-7Z',
  more: 'M3.5 8.8a.8.8 0 1 0 0-1.6.8.8 0 0 0 0 1.6ZM8 8.8a.8.8 0 1 0 0-1.6.8.8 0 0 0 0 1.6ZM12.5 8.8a.8.8 0 1 0 0-1.6.8.8 0 0 0 0 1.6Z',
  settings: 'M2 5h3M9 5h5M2 11h6M12 11h2M5 5a2 2 0 1 0 4 0 2 2 0 1 0-4 0M8 11a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14',
  close: 'm3.5 3.5 9 9m0-9-9 9',
  down: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  up: 'm4.5 9.5L8 6l3.5 3.5',
  right: 'm6.5 4.5L10 8l-3.5 3.5',
  left: 'm9.5 4.5L6 8l3.5 3.5',
  copy: 'M6.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1ZM10.5 2.5h-7a1 1 0 0 0-1 1v7',
  check: 'm3.5 8.5 3 3 6-7',
  rotate: 'M12.8 6.5A5.2 5.2 0 1 0 13 9.6M13 3v3.5H9.5',
  pause: 'M5.5 4v8M10.5 4v8',
  play: 'M5 3.5v9l7-4.5Z',
  download: 'M8 2.5v7m-3-3 3 3 3-3M3 13h10',
  upload: 'M8 9.5v-7m-3 3 3-3 3 3M3 13h10',
  keys: 'M2 4.5h12v7H2ZM4.5 7h.01M7 7h.01M9.5 7h.01M12 7h.01M5 9.5h6',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1 11.9l-.7.7',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z',
  person: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5a5 5 0 0 1 10 0',
  people:
    'M6 7.5a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5ZM1.5 13a4.5 4.5 0 0 1 9 0M10.5 3.2a2.25 2.25 0 0 1 0 4.1M12 9.2a4.5 4.5 0 0 1 2.5 3.8',
  pulse: 'M1.5 8.5h3l2-5 3 9 2-4h3',
} as const

export function Icon({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="shrink-0"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      <path d={paths[name]} />
    </svg>
  )
}
