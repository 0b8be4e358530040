"""Says over the chat what the load of a model did that was not asked for, and why one failed, with a way on."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.core.engine_texts import failure_text, notice_text
from app.models.model_controller import ModelController
from app.models.model_status import ModelState, ModelStatus
from app.ui.notice_bar import NoticeBar
from app.ui.quantities import format_sentences
from engine.errors import Code, Failure
from engine.protocol import EffectiveSettings

_KEY = "load"


class LoadNotices(QObject):
    """A load that had to step down is told once; the model's chip keeps it in its tip."""

    def __init__(self, notices: NoticeBar, models: ModelController) -> None:
        super().__init__(notices)
        self._notices, self._models = notices, models
        self._told: EffectiveSettings | None = None
        self._fault = ""
        """The key of what was told of a failed load."""
        models.status_changed.connect(self._on_status)
        models.failed.connect(self._on_failed)

    def _on_status(self, status: ModelStatus) -> None:
        if status.state is ModelState.LOADING:
            self._told = None
            for key in (_KEY, self._fault):
                self._notices.dismiss(key)
        elif status.effective is not None and status.effective != self._told:
            self._told = status.effective
            self._notices.dismiss(str(Code.ENGINE_CRASHED))  # That it is being started again is over.
            warnings = [notice_text(notice) for notice in status.effective.notices if notice.is_warning]
            if warnings:
                self._notices.show_notice(format_sentences(warnings), key=_KEY, is_warning=True)

    def _on_failed(self, failure: Failure) -> None:
        status = self._models.status
        action, act = "", None
        if status.state is ModelState.FAILED and status.failure == failure:
            self._fault = str(failure.code)
            if failure.code is Code.ENGINE_CRASHED:
                action, act = self.tr("Load again"), self._load_again
            else:
                action, act = self.tr("Choose a model"), self._models.refresh
        self._notices.show_notice(
            failure_text(failure), key=str(failure.code), is_warning=True, action=action, on_action=act
        )

    def _load_again(self) -> None:
        self._models.load(self._models.model_id, name=self._models.status.name)
