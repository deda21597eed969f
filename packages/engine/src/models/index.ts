export { fetchCatalogue, readCatalogue } from './catalogue.ts'
export { createPrices, type OwnPrice, type Prices } from './prices.ts'
export { says } from './providers/gather.ts'
export { type Endpoint, endpointsOf, LOCAL_PROVIDERS } from './providers/known.ts'
export { openProviders, type Providers } from './providers/open.ts'
export type {
  ChatAsk,
  ChatChunk,
  ChatMessage,
  ChatOptions,
  ChatPart,
  ChatReply,
  ModelError,
  Provider,
} from './providers/port.ts'
export { asOpenaiUsage, passedUsage } from './providers/usage.ts'
